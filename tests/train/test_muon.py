import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from coepg.train.muon import Muon, MuonAdamW, orthogonalised


@settings(max_examples=25, deadline=None)
@given(rows=st.integers(1, 24), columns=st.integers(1, 24), seed=st.integers(0, 999))
def test_singular_values_come_near_one(rows, columns, seed):
    torch.manual_seed(seed)
    rank = min(rows, columns)
    left = torch.linalg.qr(torch.randn(rows, rank)).Q
    right = torch.linalg.qr(torch.randn(columns, rank)).Q
    matrix = left @ torch.diag(torch.linspace(0.3, 3.0, rank)) @ right.T
    values = torch.linalg.svdvals(orthogonalised(matrix[None])[0])
    assert values.min() > 0.6 and values.max() < 1.3


def test_a_step_agrees_with_torchs_muon_up_to_its_bfloat16():
    torch.manual_seed(0)
    for shape in ((6, 20), (20, 6)):
        ours, theirs = (nn.Parameter(torch.ones(shape)) for _ in range(2))
        a = Muon([ours], lr=1e-2)
        b = torch.optim.Muon(
            [theirs], lr=1e-2, momentum=0.95, weight_decay=0, adjust_lr_fn="match_rms_adamw"
        )
        for _ in range(3):
            ours.grad = torch.randn(shape)
            theirs.grad = ours.grad.clone()
            a.step()
            b.step()
        moved = (theirs - 1).norm()
        assert (ours - theirs).norm() < 0.02 * moved


def test_matrices_without_gradient_stay():
    still, moving = nn.Parameter(torch.ones(3, 3)), nn.Parameter(torch.ones(3, 3))
    moving.grad = torch.eye(3)
    Muon([still, moving], lr=0.1).step()
    assert torch.equal(still, torch.ones(3, 3)) and not torch.equal(moving, torch.ones(3, 3))


def test_a_restored_state_goes_on_as_if_nothing_had_happened():
    def model():
        torch.manual_seed(1)
        return nn.Sequential(nn.Linear(4, 5), nn.Linear(5, 4))

    def step(net, optimizer, seed):
        torch.manual_seed(seed)
        net(torch.randn(3, 4)).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    whole, first = model(), model()
    one, two = MuonAdamW(whole, 1e-2, 1e-3), MuonAdamW(first, 1e-2, 1e-3)
    for seed in range(2):
        step(whole, one, seed)
        step(first, two, seed)
    second = model()
    second.load_state_dict(first.state_dict())
    three = MuonAdamW(second, 1e-2, 1e-3)
    three.load_state_dict(two.state_dict())
    step(whole, one, 5)
    step(second, three, 5)
    assert all(
        torch.equal(a, b) for a, b in zip(whole.parameters(), second.parameters(), strict=True)
    )
